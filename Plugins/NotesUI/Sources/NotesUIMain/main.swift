import NotesReluxInt
import NotesUI
import NotesUIAPI
import ReluxHost
import ReluxTerminal

await ReluxHostMain.run(interface: pluginMain) { dispatcher in
    let router: any NotesUIProviding = NotesUIRouter(dispatcher: dispatcher)
    let place = Place()
    return await Terminal().run(
        frame: {
            let view = router.view(for: place.page)
            return [view.title] + view.lines + ["", view.help]
        },
        enter: { line in place.page = await router.enter(line, on: place.page) })
}

/// Where the person is.
@MainActor
final class Place {
    var page = Notes.UI.Model.Page.list
}

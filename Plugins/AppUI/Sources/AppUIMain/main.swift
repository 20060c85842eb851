import AppUI
import ReluxHost
import ReluxTerminal

await ReluxHostMain.run(interface: pluginMain) { dispatcher in
    let state = App.UI.State(dispatcher)
    return await Terminal().run(frame: { App.UI.lines(of: state) }, enter: { _ in })
}

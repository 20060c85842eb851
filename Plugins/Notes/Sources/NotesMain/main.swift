import NotesReluxImpl
import ReluxHost

await ReluxHostMain.run(linked: [pluginMain])

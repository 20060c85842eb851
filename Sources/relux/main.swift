import Foundation
import ReluxCLI

exit(CommandLineTool.main(Array(CommandLine.arguments.dropFirst())))

import ArgumentParser
import Foundation
@testable import ReluxCLI
import Testing
import Yams

/// `deploy/kubernetes.yaml`, read as an API server would; no cluster of Kubernetes is here.
@Suite struct KubernetesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../deploy").standardizedFileURL

    private struct Manifest {
        let set: Node
        let pod: Node
        let container: Node

        init() throws {
            let text = try String(contentsOf: KubernetesTests.folder.appending(path: "kubernetes.yaml"), encoding: .utf8)
            let documents = try Array(compose_all(yaml: text))
            #expect(documents.count == 1)
            set = try #require(documents.first)
            pod = try #require(set["spec"]?["template"]?["spec"])
            let containers = try #require(pod["containers"]?.sequence)
            #expect(containers.count == 1)
            container = try #require(containers.first)
        }

        func words(_ place: String...) throws -> [String] {
            var node: Node? = container
            for key in place { node = node?[key] }
            return try #require(node?["exec"]?["command"]?.sequence).compactMap(\.string)
        }

        func number(_ node: Node?) throws -> Int { try #require(node?.int) }
    }

    private static func containerfile(_ instruction: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: "Containerfile"), encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix(instruction + " ") }.map { String($0.dropFirst(instruction.count + 1)) }
    }

    @Test func `one pod with one volume, and the selector finds it`() throws {
        let manifest = try Manifest()
        #expect(manifest.set["apiVersion"] == "apps/v1" && manifest.set["kind"] == "StatefulSet")
        #expect(manifest.set["spec"]?["replicas"]?.int == 1)
        #expect(manifest.set["spec"]?["selector"]?["matchLabels"] == manifest.set["spec"]?["template"]?["metadata"]?["labels"])
        let claims = try #require(manifest.set["spec"]?["volumeClaimTemplates"]?.sequence)
        #expect(claims.compactMap { $0["metadata"]?["name"]?.string } == ["state"])
        #expect(claims.first?["spec"]?["accessModes"]?.sequence?.compactMap(\.string) == ["ReadWriteOnce"])
        // Each mount has a volume, and the image's own volume is kept.
        let mounts = try #require(manifest.container["volumeMounts"]?.sequence)
        let volumes = try #require(manifest.pod["volumes"]?.sequence).compactMap { $0["name"]?.string } + ["state"]
        #expect(Set(mounts.compactMap { $0["name"]?.string }) == Set(volumes))
        #expect(try mounts.compactMap { $0["mountPath"]?.string }.contains(#require(Self.containerfile("VOLUME").first)))
        #expect(mounts.first { $0["mountPath"] == "/etc/relux" }?["readOnly"]?.bool == true)
    }

    @Test func `the process is the image's user, without rights, on a root file system that it cannot write`() throws {
        let manifest = try Manifest()
        let pod = try #require(manifest.pod["securityContext"])
        let user = "\(try manifest.number(pod["runAsUser"])):\(try manifest.number(pod["runAsGroup"]))"
        #expect(try Self.containerfile("USER") == [user])
        #expect(try String(contentsOf: Self.folder.appending(path: "Containerfile"), encoding: .utf8).contains("--uid \(manifest.number(pod["runAsUser"])) --user-group"))
        #expect(pod["runAsNonRoot"]?.bool == true && pod["fsGroup"] == pod["runAsGroup"])
        #expect(pod["seccompProfile"]?["type"] == "RuntimeDefault")
        let own = try #require(manifest.container["securityContext"])
        #expect(own["allowPrivilegeEscalation"]?.bool == false && own["readOnlyRootFilesystem"]?.bool == true)
        #expect(own["capabilities"]?["drop"]?.sequence?.compactMap(\.string) == ["ALL"])
        #expect(manifest.pod["automountServiceAccountToken"]?.bool == false)
        #expect(manifest.container["resources"]?["limits"]?["memory"] != nil)
    }

    @Test(arguments: [["startupProbe"], ["livenessProbe"], ["lifecycle", "preStop"]])
    func `what Kubernetes runs are commands of relux, and each is over before it is given up`(place: [String]) throws {
        let manifest = try Manifest()
        var node: Node? = manifest.container
        for key in place { node = node?[key] }
        let words = try #require(node?["exec"]?["command"]?.sequence).compactMap(\.string)
        #expect(words.first == "relux")
        let command = try #require(try ReluxCommand.parseAsRoot(Array(words.dropFirst())) as? any SessionCommand)
        let limit = try #require(command.common.timeout?.duration)
        let patience = try manifest.number(place == ["lifecycle", "preStop"] ? manifest.pod["terminationGracePeriodSeconds"] : node?["timeoutSeconds"])
        #expect(limit < .seconds(patience))
    }

    @Test func `a pod is ready when no module that is not ready is listed, and not when nobody answers`() throws {
        let manifest = try Manifest()
        let words = try manifest.words("readinessProbe")
        #expect(words.prefix(2) == ["sh", "-c"] && words.count == 3)
        let folder = FileManager.default.temporaryDirectory.appending(path: "relux-probe-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (body, isReady) in [("exit 0", true), ("echo Notes", false), ("exit 4", false)] {
            let program = folder.appending(path: "relux")
            try "#!/bin/sh\n\(body)\n".write(to: program, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
            let shell = Process()
            shell.executableURL = URL(filePath: "/bin/sh")
            shell.arguments = Array(words.dropFirst())
            shell.environment = ["PATH": "\(folder.path):/usr/bin:/bin"]
            try shell.run()
            shell.waitUntilExit()
            #expect((shell.terminationStatus == 0) == isReady, "\(body)")
        }
        // The command in it is one.
        let text = try #require(words.last)
        let inner = try #require(text.firstMatch(of: #/\$\(relux ([^|]*) \|\|/#)).output.1.split(separator: " ").map(String.init)
        #expect(try ReluxCommand.parseAsRoot(inner) is StatusCommand)
    }
}

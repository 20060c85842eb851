import ReluxLayers
import SwiftSyntax

/// Notification centres, however they are reached.
final class NotificationRule: RuleVisitor {
    private static let names: Set = [
        "NotificationCenter", "DistributedNotificationCenter", "NSNotificationCenter", "NotificationQueue", "CFNotificationCenterGetLocalCenter",
        "CFNotificationCenterGetDistributedCenter", "CFNotificationCenterGetDarwinNotifyCenter", "CFNotificationCenterPostNotification",
        "notify_post",
    ]

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        check(node.baseName, node)
        return .visitChildren
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        check(node.name, node)
        return .visitChildren
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        check(node.name, node)
        return .visitChildren
    }

    private func check(_ name: TokenSyntax, _ node: some SyntaxProtocol) {
        guard Self.names.contains(name.text) else { return }
        report(.notificationCenter, node, "\(name.text) carries what belongs into an action")
    }
}

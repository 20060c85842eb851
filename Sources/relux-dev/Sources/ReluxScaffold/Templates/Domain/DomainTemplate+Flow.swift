extension DomainTemplate {
    static let flow: [(path: String, text: String)] = [
        (
            "Sources/__D__ReluxImpl/__D__+Business+Flow.swift",
            ##"""
            internal import ErrorHandlingModels
            internal import ErrorHandlingReluxInt
            internal import __D__Models
            internal import __D__ReluxInt
            internal import __D__ServiceInt
            internal import Relux

            extension __D__.Business {
                protocol IFlow: Relux.Flow {}

                /// Loads and keeps items, and tells others.
                actor Flow: IFlow {
                    private let svc: any IService
                    private let router: any IRouter

                    init(svc: any IService, router: any IRouter) {
                        self.svc = svc
                        self.router = router
                    }

                    func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
                        switch effect as? __D__.Business.Effect {
                        case .load: await changed { () async throws(Model.Failure) in try await svc.items() }
                        case .add(let title): await changed { () async throws(Model.Failure) in try await svc.add(title: title) }
                        case .show: await actions { router.set__D__Page(.list) }
                        case .itemsChanged, .itemsFailed, nil: .success
                        }
                    }

                    private func changed(_ work: () async throws(Model.Failure) -> [Model.Item]) async -> Relux.ActionResult {
                        do {
                            let items = try await work()
                            await actions {
                                __D__.Business.Action.shown(items: items)
                                __D__.Business.Effect.itemsChanged(items: items)
                            }
                            return .success(items)
                        } catch {
                            await actions {
                                __D__.Business.Action.failed(error: error)
                                __D__.Business.Effect.itemsFailed(error: error)
                            }
                            return await failed(error)
                        }
                    }

                    /// Errors that the user cannot help are tracked.
                    private func failed(_ error: Model.Failure) async -> Relux.ActionResult {
                        if error.code == .storage {
                            let tracked = ErrorHandling.Business.Model.TrackedError(
                                domain: "__D__", code: error.code.rawValue, message: error.message
                            )
                            await actions { ErrorHandling.Business.Effect.track(error: tracked) }
                        }
                        return .failure(Relux.Failure(domain: "__D__", code: "\(error.code)", message: error.message))
                    }
                }
            }
            """##
        ),
        (
            "Sources/__D__ReluxImpl/__D__+Business+State.swift",
            ##"""
            internal import __D__Models
            internal import __D__ReluxInt
            internal import Relux

            extension __D__.Business {
                @MainActor
                final class State: IState {
                    private(set) var current: __D__.Business.Snapshot = .init(items: [], failure: nil)
                    private let readers = Snapshots<__D__.Business.Snapshot>()

                    nonisolated init() {}

                    var snapshots: AsyncStream<__D__.Business.Snapshot> { readers.stream() }

                    func cleanup() async {
                        set(items: [], failure: nil)
                    }

                    func set(items: [Model.Item], failure: Model.Failure?) {
                        let snapshot = __D__.Business.Snapshot(items: items, failure: failure)
                        current = snapshot
                        readers.publish(snapshot)
                    }
                }
            }
            """##
        ),
        (
            "Sources/__D__ReluxImpl/__D__+Business+State+Reducer.swift",
            ##"""
            internal import __D__Models
            internal import __D__ReluxInt
            internal import Relux

            extension __D__.Business.State {
                nonisolated var reduces: [any Relux.Action.Type]? { [__D__.Business.Action.self] }

                func reduce(with action: any Relux.Action) async {
                    switch action as? __D__.Business.Action {
                    case .shown(let items): set(items: items, failure: nil)
                    case .failed(let error): set(items: current.items, failure: error)
                    case nil: break
                    }
                }
            }
            """##
        ),
    ]
}

/// The files of a cluster, with `__N__` for its name, and marks for its plugins and for where Relux's programs are.
enum ClusterTemplate {
    static let configuration = ##"""
        # One cluster on one machine. Every key that is left out has its default; Relux's deploy/cluster.yaml explains each.
        # `relux-supervisor --config cluster.yaml --print` shows each value and where it came from.

        cluster:
          name: __N__
          # Sockets, logs, journals and packed plugins lie in .relux beside this file; sockets want a short path.
          # directory: .relux

          # What runs. The order of starts does not follow from it: the broker derives that from what the built libraries import. It is the order of
          # registration, by which ties go, such as those of actions of one priority that modules contribute to an orchestrator.
          plugins:
        __PLUGINS__
        """##

    static let script = ##"""
        #!/bin/sh
        # The cluster __N__ on this machine: packs what is built, starts it, shows it, and takes it down.
        #
        #   ./cluster up       pack the plugins, start what was packed where its contract allows that, wait until all is ready
        #   ./cluster down     stop everything
        #   ./cluster WORD …   any other command of relux for this cluster: status, tap, effect send …
        #
        # From the environment: RELUX_BIN   the folder of Relux's programs, instead of __WHERE__
        # It ends with what `relux` ended with, or: 2 usage, 69 something is not built yet.
        set -eu

        here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
        bin=${RELUX_BIN:-__BIN__}
        RELUX_CONFIG=$here/cluster.yaml
        export RELUX_CONFIG

        need() {
            [ -e "$1" ] || { printf 'cluster: there is no %s\n         %s\n' "$1" "$2" >&2; exit 69; }
        }

        pack() {
            set -- \
        __LIBRARIES__
            for library in "$@"; do
                shift
                case $library in
                "$bin"/*)
                    name=${library##*/lib}
                    name=${name%.so}
                    name=${name%ReluxImpl}
                    # An installation has its plugins packed.
                    if [ ! -e "$library" ] && [ -e "$bin/../packed/$name/current" ]; then
                        packed=$("$bin/relux-supervisor" --config "$RELUX_CONFIG" --print)
                        packed=$(printf '%s\n' "$packed" | sed -n 's/^cluster.packed = \(.*\)  (.*)$/\1/p')
                        # A folder of its own, so that what is packed for this cluster never changes the installation.
                        mkdir -p "$packed/$name"
                        ln -sfn "$(readlink -f -- "$bin/../packed/$name/current")" "$packed/$name/current"
                        continue
                    fi
                    need "$library" "__BUILD__"
                    ;;
                *) need "$library" "build it first: swift build --package-path ${library%/.build/*}" ;;
                esac
                set -- "$@" "$library"
            done
            [ $# -eq 0 ] || "$bin/relux" module pack --output name "$@" >/dev/null
        }

        need "$bin/relux" "__RELUX__"
        case ${1:-} in
        '' | -h | --help | help)
            sed -n '2,/^set -eu/{/^#/s/^# \{0,1\}//p;}' "$0" >&2
            exit 2
            ;;
        up)
            pack
            shift
            exec "$bin/relux" up --packed "$@"
            ;;
        *) exec "$bin/relux" "$@" ;;
        esac
        """##
}

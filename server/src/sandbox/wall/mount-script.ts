import { limitWords, type Limits } from "./limits.ts";

/**
 * What happens around a program in a layer, as a shell script: it runs in namespaces of its own, where this user may mount.
 * $1 is the layer's folder; what follows is the wall (`WallCall`), which reads `wall.arguments`, and the program behind it.
 *
 * At the end nothing runs any more that could change a file, and the names in every folder that was written to are put down
 * as they are seen now. Where a folder was deleted and made anew, they alone tell what is gone: the mark that the kernel
 * leaves for that is no part of a file's contents.
 */
export const MOUNT_SCRIPT = `
cd "$1" || exit 1
layer=$1
shift
for root in [0-9]*; do
  [ -d "$layer/$root" ] || continue
  cd "$layer/$root" && rm -f seen || exit 1
  mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr merged || exit 1
done
cd "$layer" || exit 1
# Where memory gets scarce, the kernel ends this before anything else.
echo 1000 >/proc/self/oom_score_adj
"$@" 8>status 9<wall.arguments
# Where the wall itself was killed, its first process inside may not have heard of that.
grep -q exit-code status || kill -9 $(sed -n 's/.*"child-pid": *\\([0-9]*\\).*/\\1/p' status) 2>/dev/null
for root in [0-9]*; do
  [ -d "$layer/$root" ] || continue
  cd "$layer/$root/upper" && find . -type d -print0 | (
    cd "$layer/$root/merged" && xargs -0 -r sh -c 'exec find "$@" -mindepth 1 -maxdepth 1 -print0' sh
  ) >../seeing && mv ../seeing ../seen || exit 1
done
`;

/** Ends with the server, whose child the script is, and takes the program with it. */
export function mountCommand(layer: string, limits: Limits, words: readonly string[]): [string, ...string[]] {
  const namespaces = ["--user", "--map-root-user", "--mount", "--propagation", "private"];
  const untilParentEnds = ["setpriv", "--pdeathsig", "KILL", "--"];
  const begin = ["unshare", ...namespaces, "--", ...untilParentEnds, ...limitWords(limits)] as const;
  return [...begin, "sh", "-c", MOUNT_SCRIPT, "sh", layer, ...words] as [string, ...string[]];
}

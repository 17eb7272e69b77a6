/** A view as arguments of bubblewrap (`bwrap`), which makes it real without any rights of its own. */
import { MEMORY_FOLDER, SETTINGS, type Mount, type Person, type View } from "./view.ts";

/**
 * Everything is taken away that Linux can take: other processes, the network, shared memory, the terminal, the right to
 * make such a place anew. As root, what root may do goes too.
 */
const TAKEN =
  "--unshare-user --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup-try " +
  "--die-with-parent --new-session --cap-drop ALL --disable-userns --proc /proc --dev /dev";

export function bubblewrapArguments({ mounts, folder, isOnline }: View, { uid, gid }: Person): string[] {
  return [
    ...TAKEN.split(" "),
    ...(isOnline === true ? [] : ["--unshare-net"]),
    ...SETTINGS.flatMap((name) => ["--ro-bind-try", `/proc/${name}`, `/proc/${name}`]),
    "--uid",
    String(uid),
    "--gid",
    String(gid),
    ...mounts.flatMap(mountArguments),
    // The disk itself, which holds all of this, is made of memory: nothing more may be written to it.
    "--remount-ro",
    "/",
    "--chdir",
    folder,
  ];
}

function mountArguments(mount: Mount): string[] {
  const { kind, path } = mount;
  switch (kind) {
    case "read":
      return "from" in mount ? ["--ro-bind", mount.from, path] : ["--ro-bind-try", path, path];
    case "write":
      return ["--bind", mount.from, path];
    case "link":
      return ["--symlink", mount.target, path];
    case "nothing":
      return ["--size", String(MEMORY_FOLDER), "--tmpfs", path, "--remount-ro", path];
  }
}

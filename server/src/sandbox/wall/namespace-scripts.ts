/**
 * Scripts of the shell that make a view real, each the beginner of the next. A failure anywhere ends all of it before
 * the program begins: a wall with a hole does not hold.
 */

/**
 * For the shell that is the first process of a program's process namespace: with the program everything ends that the program
 * started. The shell says nothing of a program that a signal ends: its words would look like the program's.
 */
export const UNTIL_IT_ENDS = 'exec 8>&2 2>/dev/null; ("$@" 2>&8 8>&-); exit "$?"';

/**
 * In namespaces of its own, whose first process is the first that this script starts. $1 and $2 are the two scripts below, then
 * follow the values that `ENTER_SCRIPT` takes, and the program.
 */
export const FIRST_SCRIPT = `
enter=$1
shift
printf '{"begun": false}\\n' >&8
# What a shell starts in the background reads nothing unless told to.
exec 7<&0
setpriv --pdeathsig KILL -- sh -c "$enter" sh "$@" <&7 7<&- &
exec 7<&- </dev/null
printf '{"child-pid": %s}\\n' "$!" >&8
wait "$!"
code=$?
printf '{"exit-code": %s}\\n' "$code" >&8
exit "$code"
`;

/**
 * $1 makes the mounts of the list on descriptor 9. $2 and $3 are the person's ids, $4 the folder to begin in, $5 the number of
 * mounts that may be written to, $6 the settings of the kernel, $7 the bytes of a folder in memory, $8 whether the machine's
 * network is `open` to the program; then follows the program.
 *
 * The new root stands at /sys, which exists everywhere and is shown to nobody. In the end the places that can be written to are
 * counted, of mounts in one place the last: one more than there should be is a hole.
 */
export const ENTER_SCRIPT = `
fail() { echo "the wall could not be made: $1" >&2; exit 1; }
PATH=$PATH:/usr/sbin:/sbin
mounts=$1 uid=$2 gid=$3 folder=$4 writable=$5 settings=$6 size=$7 network=$8
shift 8
[ "$$" = 1 ] || fail 'no process namespace'
if [ "$network" != open ]; then
  [ -z "$(cut -d: -f1 /proc/net/dev | grep -vE 'Inter|face|^ *lo$')" ] || fail 'no network namespace'
  ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null
fi
mount -n -t tmpfs -o mode=755,size="$size" tmpfs /sys && mkdir /sys/proc /sys/dev /sys/.old || fail 'its root'
xargs -0 -r -x -n 40 sh -c "$mounts" "$size" <&9 || fail 'its mounts'
exec 9<&-
mount -n -t proc -o nosuid,nodev,noexec proc /sys/proc || fail /proc
echo 1 >/sys/proc/sys/user/max_user_namespaces || fail 'its limit of namespaces'
for name in $settings; do
  [ ! -e "/sys/proc/$name" ] || mount -n --bind -o ro,nosuid,nodev,noexec "/sys/proc/$name" "/sys/proc/$name" || fail "/proc/$name"
done
mount -n -t tmpfs -o mode=755,nosuid,size="$size" tmpfs /sys/dev && mkdir /sys/dev/pts /sys/dev/shm || fail /dev
for name in null zero full random urandom tty; do
  [ -e "/dev/$name" ] || continue
  : >"/sys/dev/$name" && mount -n --bind "/dev/$name" "/sys/dev/$name" || fail "/dev/$name"
  writable=$((writable + 1))
done
mount -n -t devpts -o newinstance,ptmxmode=0666,mode=620,nosuid,noexec devpts /sys/dev/pts || fail /dev/pts
mount -n -t tmpfs -o mode=1777,nosuid,nodev,size="$size" tmpfs /sys/dev/shm || fail /dev/shm
ln -s /proc/self/fd /sys/dev/fd && ln -s pts/ptmx /sys/dev/ptmx || fail /dev
ln -s /proc/self/fd/0 /sys/dev/stdin && ln -s /proc/self/fd/1 /sys/dev/stdout && ln -s /proc/self/fd/2 /sys/dev/stderr || fail /dev
mount -n -o remount,bind,ro,nosuid /sys/dev || fail /dev
cd /sys && pivot_root . .old && cd / && umount -n -l /.old && rmdir /.old && mount -n -o remount,bind,ro,nosuid,nodev / || fail 'its root'
open=$(awk '{ at[$5] = $6 } END { for (path in at) if (at[path] !~ /^ro(,|$)/) open++; print open + 0 }' /proc/self/mountinfo)
[ "$open" = "$((writable + 3))" ] || fail "$open mounts can be written to, and $((writable + 3)) should be"
cd "$folder" || fail "$folder"
printf '{"begun": true}\\n' >&8
exec 8>&-
exec unshare --user --map-user="$uid" --map-group="$gid" -- setpriv --pdeathsig KILL --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- sh -c '${UNTIL_IT_ENDS}' sh "$@"
`;

/**
 * $0 is the size of a folder in memory; the rest four words for each mount. Where a link is on the way, nothing is
 * mounted.
 */
export const MOUNTS_SCRIPT = `
at() { cd -P "$1" && [ "$PWD" = "$1" ]; }
while [ "$#" -gt 0 ]; do
  kind=$1 path=/sys$2 from=$3 options=$4
  shift 4
  parent=\${path%/*}
  [ -d "$parent" ] || mkdir -p "$parent" && at "$parent" && [ ! -L "$path" ] || exit 255
  if [ "$kind" = link ]; then
    ln -s "$from" "$path" || exit 255
    continue
  fi
  if [ "$kind" = nothing ] || [ -d "$from" ]; then
    [ -d "$path" ] || mkdir "$path" || exit 255
  elif [ "$kind" != shut ] && [ ! -e "$path" ]; then
    : >"$path" || exit 255
  fi
  case $kind in
    read) mount -n --rbind -o "$options" "$from" "$path" ;;
    shut) mount -n -o "remount,bind,$options" "$path" ;;
    write) mount -n --rbind "$from" "$path" ;;
    nothing) mount -n -t tmpfs -o "ro,nosuid,nodev,mode=755,size=$0" tmpfs "$path" ;;
    *) false ;;
  esac || exit 255
done
`;

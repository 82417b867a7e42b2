import type { ResolvedMount } from "../volume/volume-manager.ts";

/**
 * Runs in a new mount namespace: mounts an overlay as the container's root, then devices and volumes, and executes the container's process.
 * Its paths stay within the root: links are resolved beforehand. Private paths of the machine are covered, apart from the files of the container
 * itself. Arguments: root, lower, layer, access to the root (ro or rw), the container's files, number of mounts, four per mount, number of private
 * paths, one for each, then the arguments of unshare and the command.
 */
export const CONTAINER_SCRIPT = `set -e
path=$PATH
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
enter=$(command -v unshare)
root=$1 lower=$2 layer=$3 rootaccess=$4 files=$5 count=$6
shift 6
mkdir -p "$root" "$layer/upper" "$layer/work"
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$layer/upper,workdir=$layer/work" "$root" 2>/dev/null || {
  mount -t tmpfs tmpfs "$layer"
  mkdir -p "$layer/upper" "$layer/work"
  mount -t overlay overlay -o "lowerdir=$lower,upperdir=$layer/upper,workdir=$layer/work" "$root"
}
mkdir -p "$root/proc" "$root/sys" "$root/dev"
mount --rbind /proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys" 2>/dev/null || true
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount --rbind /dev/pts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
while [ "$count" -gt 0 ]; do
  source=$1 target=$root$2 access=$3 space=$4
  shift 4
  count=$((count - 1))
  if [ -d "$source" ]; then
    mkdir -p "$target"
  else
    mkdir -p "\${target%/*}"
    [ -e "$target" ] || : > "$target"
  fi
  if [ "$space" != - ]; then
    disk=$layer/disk$count
    mkdir -p "$disk"
    mount -t tmpfs -o "size=$space" tmpfs "$disk"
    mkdir "$disk/upper" "$disk/work"
    chmod --reference="$source" "$disk/upper"
    mount -t overlay overlay -o "lowerdir=$source,upperdir=$disk/upper,workdir=$disk/work" "$target"
  else
    mount --rbind "$source" "$target"
  fi
  [ "$access" = rw ] || mount -o remount,bind,ro "$target"
done
count=$1
shift
while [ "$count" -gt 0 ]; do
  private=$1 target=$root$1
  shift
  count=$((count - 1))
  if [ -d "$target" ]; then
    mount -t tmpfs -o mode=755 tmpfs "$target"
    case $files in
      "$private"/*)
        if [ -d "$files" ]; then
          mkdir -p "$root$files"
          mount --bind "$files" "$root$files"
          [ "$rootaccess" = rw ] || mount -o remount,bind,ro "$root$files"
        fi ;;
    esac
    mount -o remount,bind,ro "$target"
  elif [ -e "$target" ]; then
    mount --bind /dev/null "$target"
  fi
done
[ "$rootaccess" = rw ] || mount -o remount,bind,ro "$root"
echo ready >&3
PATH=$path
exec "$enter" "$@" 3>&-
`;

export function buildMountArguments(mounts: readonly ResolvedMount[]): readonly string[] {
  return mounts.flatMap(({ source, path, readOnly, diskSpace }) => [
    source,
    path,
    readOnly ? "ro" : "rw",
    diskSpace === undefined ? "-" : String(diskSpace),
  ]);
}

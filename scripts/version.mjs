/**
 * Says whether a version such as `22.15.1` reaches a major and minor number.
 *
 * @param {string} version
 * @param {readonly [number, number]} oldest
 */
export function isAtLeast(version, [major, minor]) {
  const [ours = 0, oursMinor = 0] = version.split(".").map(Number);
  return ours > major || (ours === major && oursMinor >= minor);
}

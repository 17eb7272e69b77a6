/** Projects that refer to each other in a circle: `tsc --build` refuses them, while each alone seems well. */
import { referencesOf } from "../../../workspace/config-file.ts";

/** Each circle once, from its first tsconfig in order of names back to it. */
export function referenceCircles(configFiles: readonly string[]): string[][] {
  const circles = new Map<string, string[]>();
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const circle = path.slice(start);
      const first = circle.indexOf(circle.toSorted()[0] ?? file);
      const ordered = [...circle.slice(first), ...circle.slice(0, first)];
      circles.set(ordered.join("\n"), [...ordered, ordered[0] ?? file]);
      return;
    }
    if (done.has(file)) return;
    for (const reference of referencesOf(file)) walk(reference, [...path, file]);
    done.add(file);
  };
  for (const file of configFiles) walk(file, []);
  return [...circles.values()];
}

/** Configurations that extend each other in a circle: 7.0.2 waits for itself when it serves an editor, and never answers. */
import { basename } from "node:path";
import { existingRealPath } from "../../../workspace/real-path.ts";
import { basesOf, readConfigFile } from "../../../workspace/config-file.ts";

/** A sentence without its end that names the files of the first circle; undefined where there is none. */
export function configCircle(configs: readonly string[]): string | undefined {
  const done = new Set<string>();
  for (const config of configs) {
    const circle = circleFrom(config, [], done);
    if (circle === undefined) continue;
    return `${circle.map((file) => basename(file)).join(" extends ")}, in a circle`;
  }
  return undefined;
}

function circleFrom(named: string, way: readonly string[], done: Set<string>): readonly string[] | undefined {
  const file = existingRealPath(named);
  if (file === undefined || done.has(file)) return undefined;
  const start = way.indexOf(file);
  if (start >= 0) return [...way.slice(start), file];
  for (const base of basesOf(file, readConfigFile(file))) {
    const circle = circleFrom(base, [...way, file], done);
    if (circle !== undefined) return circle;
  }
  done.add(file);
  return undefined;
}

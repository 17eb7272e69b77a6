/** A cursor that names the last line that was shown: it stays true when files change in between. */
import type { ReadFrom } from "../../search/found-lines.ts";
import { placeOf } from "../../search/place.ts";
import type { Reach } from "../../search/reach.ts";
import { ToolFailure } from "../tool.ts";
import type { SearchToolPorts } from "./search-ports.ts";

export function readPlaceCursor(ports: SearchToolPorts, { folders }: Reach, cursor: string): ReadFrom {
  const [, name = "", line] = /^(.+):(\d{1,9})$/s.exec(cursor) ?? [];
  const resolution = line === undefined ? undefined : ports.resolvePath(unquoted(name));
  const place = resolution?.ok === true ? placeOf(folders, resolution.path.absolute) : undefined;
  if (place !== undefined) return { ...place, line: Number(line) };
  throw new ToolFailure(
    `The cursor "${cursor.slice(0, 100)}" is not one that this tool gave out, such as "src/a.ts:12". Leave it out to read from the beginning.`,
  );
}

/** A name with control characters is in quotes. */
function unquoted(name: string): string {
  try {
    return name.startsWith('"') ? String(JSON.parse(name)) : name;
  } catch {
    return name;
  }
}

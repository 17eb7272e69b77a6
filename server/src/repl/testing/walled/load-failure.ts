/** The error that ended a process of Node, as Node prints it. */
import type { TestFailure } from "../test-run.ts";

const THROWN =
  /^(?:(\/.+|file:.+|node:.+):(\d+)\n(?:.*\n){1,8}?)?(?:Uncaught )?(\w*(?:Error|Exception))(?: \[(\w+)\])?: (.*(?:\n(?!    at |\n|Node\.js v).*)*)/m;
const FRAME = /^ +at (?:.*\()?(?:file:\/\/)?(\/[^()\n]+?):(\d+):(\d+)\)?$/gm;

export interface LoadFailure {
  readonly thrown: TestFailure;
  /** The output before the error. */
  readonly before: string;
}

/** Undefined when the output has no error. */
export function loadFailure(printed: string): LoadFailure | undefined {
  const found = THROWN.exec(printed);
  if (found === null) return undefined;
  const [, path, line, name = "Error", , message = ""] = found;
  const frame = [...printed.slice(found.index).matchAll(FRAME)].find(([, file = ""]) => isOfProject(file));
  const place =
    frame === undefined
      ? placeAt(path, line)
      : { place: { file: decodeURI(frame[1] ?? ""), line: Number(frame[2]), column: Number(frame[3]) } };
  return { thrown: { name, message: message.trim(), ...place }, before: printed.slice(0, found.index) };
}

/** When Node asks our own program for a module, the stack has a frame of that program, as source or as built. */
const OURS = /\/child\/tests\/resolve-typescript\.[jt]s$/;

function isOfProject(file: string): boolean {
  return !file.includes("/node_modules/") && !OURS.test(file);
}

/** For a text that cannot be parsed, Node prints the line and no frame. */
function placeAt(path = "", line = "1"): Pick<TestFailure, "place"> {
  const file = path.replace(/^file:\/\//, "");
  if (!file.startsWith("/") || !isOfProject(file)) return {};
  return { place: { file: decodeURI(file), line: Number(line), column: 1 } };
}

/**
 * A socket file needs no network, and the program that listens there may start other programs: tmux, an editor's
 * server, an ssh agent. Node 24's permissions do not cover socket files, and those of Node 26 do not where the network
 * is open.
 */
import { Socket } from "node:net";
import { join, normalize, sep } from "node:path";
import { getSystemErrorMap } from "node:util";
import { uncurried } from "../shared/captured.ts";
import { replaceFunction } from "../shared/replace-function.ts";

/** User code can replace the functions of modules, so this one is kept. */
const plain = normalize;

/** From now on socket files can be made and connected to in this folder only. */
export function refuseSockets(folder: string): void {
  const pipe = pipePrototype(join(folder, "none"));
  const [denied] = [...getSystemErrorMap()].find(([, [name]]) => name === "EACCES") ?? [-13];
  const beginning = folder + sep;
  // Only a string is accepted, so that the value that was compared is the value that is passed on. Normalizing a
  // relative path would call `process.cwd`.
  const isInside = (path: unknown): boolean =>
    typeof path === "string" && uncurried.startsWith(path, beginning) && uncurried.startsWith(plain(path), beginning);
  replaceFunction(pipe, "bind", (bind) => (self, args) => (isInside(args[0]) ? bind(self, args) : denied));
  replaceFunction(pipe, "connect", (connect) => (self, args) => (isInside(args[1]) ? connect(self, args) : denied));
}

/** The prototype of all of Node's handles for socket files; no module exports it. */
function pipePrototype(path: string): object {
  const socket = new Socket();
  let handle: object | null = null;
  let pipe: object | undefined;
  // A connection that Node refuses has lost its handle when `connect` returns.
  Object.defineProperty(socket, "_handle", {
    get: () => handle,
    set: (given: object | null) => {
      handle = given;
      pipe ??= given ?? undefined;
    },
  });
  socket.on("error", () => {});
  socket.connect({ path });
  socket.destroy();
  if (pipe === undefined) throw new Error("this Node does not let socket files be refused");
  return Object.getPrototypeOf(pipe) as object;
}

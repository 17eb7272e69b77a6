/**
 * A socket file is reached without a network, and what listens there may start programs: tmux, an editor's server, an
 * agent of ssh. Node 24's permissions do not cover socket files, nor do those of Node 26 where the network is open.
 */
import { Socket } from "node:net";
import { join, normalize, sep } from "node:path";
import { getSystemErrorMap } from "node:util";
import { uncurried } from "../shared/captured.ts";
import { replaceFunction } from "../shared/replace-function.ts";

/** A module's own functions can be replaced. */
const plain = normalize;

/** Socket files can be made and reached in this folder alone. */
export function refuseSockets(folder: string): void {
  const pipe = pipePrototype(join(folder, "none"));
  const [denied] = [...getSystemErrorMap()].find(([, [name]]) => name === "EACCES") ?? [-13];
  const beginning = folder + sep;
  // A text and no other value: what is compared is what is handed on. A relative one would ask for `process.cwd`.
  const isInside = (path: unknown): boolean =>
    typeof path === "string" && uncurried.startsWith(path, beginning) && uncurried.startsWith(plain(path), beginning);
  replaceFunction(pipe, "bind", (bind) => (self, args) => (isInside(args[0]) ? bind(self, args) : denied));
  replaceFunction(pipe, "connect", (connect) => (self, args) => (isInside(args[1]) ? connect(self, args) : denied));
}

/** What all of Node's handles for socket files are made from; no module exports it. */
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

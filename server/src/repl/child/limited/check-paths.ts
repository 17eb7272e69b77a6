/**
 * Node's permissions judge a path by its letters at the time of the call, and the operating system follows the path
 * later. Node takes `link/../x` for `x`, and a program can change its working folder before a delayed function runs. So
 * each function gets the path in the form that was judged.
 */
import fs from "node:fs";
import { isAbsolute, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { types } from "node:util";
import { uncurried } from "../shared/captured.ts";
import { replaceFunction } from "../shared/replace-function.ts";
import { accessDenied } from "./refusal.ts";

/** User code can replace the functions of modules, so these are kept. */
const plain = normalize;
const isFull = isAbsolute;
const urlToPath = fileURLToPath;
const { cwd } = process;
const { isUint8Array } = types;
const { apply } = Reflect;
const reject = Promise.reject.bind(Promise);
const { latin1Slice } = Buffer.prototype as unknown as { readonly latin1Slice: () => string };
const isOrdinary = Function.prototype[Symbol.hasInstance];

const TWO_PATHS = /^(?:copyFile|cp|link|rename)(?:Sync)?$/;
/** Classes and streams open files by the functions that are checked; a glob only gives names. */
const OTHERS = /^(?:[A-Z_]|create|glob)/;

type Functions = Readonly<Record<string, unknown>>;

export function checkPaths(): void {
  const handles = new WeakSet();
  for (const owner of [fs, fs.promises] as readonly unknown[] as readonly Functions[]) {
    for (const name of Object.keys(owner)) {
      if (typeof owner[name] !== "function" || OTHERS.test(name)) continue;
      const takesTwo = TWO_PATHS.test(name);
      const asJudged = name.endsWith("Sync") ? judgedNow : judgedForLater;
      const judge = (arg: unknown, index: number): unknown =>
        index === 0 || (takesTwo && index === 1) ? asJudged(arg, handles) : arg;
      const isPromised = owner === (fs.promises as unknown) && name !== "watch";
      replaceFunction(owner, name, (original) => (self, args) => {
        // The arguments are changed in place: writing to an empty array could call setters and getters of
        // `Array.prototype`.
        const judged = args as unknown[];
        try {
          for (let index = 0; index < args.length; index++) judged[index] = judge(args[index], index);
        } catch (error) {
          if (isPromised) return reject(error);
          throw error;
        }
        return original(self, judged);
      });
    }
  }
  replaceFunction(fs.promises, "open", (open) => async (self, args) => {
    const handle = (await open(self, args)) as object;
    // A file handle is not a path. Node recognizes handles by their class, and this must go on working.
    Object.defineProperty(handle.constructor, Symbol.hasInstance, { value: isOrdinary });
    uncurried.weakSetAdd(handles, handle);
    return handle;
  });
  replaceFunction(
    process,
    "loadEnvFile",
    (load) =>
      (self, [path, ...rest]) =>
        path === undefined ? load(self, []) : load(self, [judgedNow(path, handles), ...rest]),
  );
}

type Judge = (path: unknown, handles: WeakSet<object>) => unknown;

const judgedNow: Judge = (path, handles) => {
  const given = textOf(path, handles);
  if (typeof given === "string") return leadsUp(given) ? plain(given) : given;
  if (isUint8Array(given) && leadsUp(bytesOf(given))) throw accessDenied("a path of bytes that leads upwards");
  return given;
};

const judgedForLater: Judge = (path, handles) => {
  const given = judgedNow(path, handles);
  if (typeof given === "string") return given === "" || isFull(given) ? given : plain(cwd() + sep + given);
  if (isUint8Array(given) && !isFull(bytesOf(given))) throw accessDenied("a relative path of bytes");
  return given;
};

/**
 * The path that Node takes from a URL. The URL is read once: an object that imitates a URL may answer differently the
 * next time.
 */
function textOf(path: unknown, handles: WeakSet<object>): unknown {
  if (typeof path !== "object" || path === null || isUint8Array(path) || uncurried.weakSetHas(handles, path))
    return path;
  return urlToPath(path as URL);
}

function leadsUp(path: string): boolean {
  return uncurried.includes(path, "..");
}

function bytesOf(path: Uint8Array): string {
  return apply(latin1Slice, path, []);
}

/** Where the code of the REPL's process lies: in `child/`, beside this file in the sources and beside the built bundle. */
import { fileURLToPath } from "node:url";

export const CHILD_FOLDER = fileURLToPath(new URL("./child/", import.meta.url));
/** The extension of the programs of a test run: `.ts` in the sources, `.js` once built. */
export const CHILD_EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf("."));
/** The extension of the REPL's two threads, which start sooner as CommonJS, see `scripts/bundle.ts`. */
export const THREAD_EXTENSION = CHILD_EXTENSION === ".js" ? ".cjs" : CHILD_EXTENSION;
/** The program of a node:test run. Every image loads it on request, also where it lies outside of the project. */
export const NODE_TESTS_URL = new URL(`./child/tests/run-node-tests${CHILD_EXTENSION}`, import.meta.url).href;

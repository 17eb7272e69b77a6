/**
 * The folder of the code of the REPL's process: `child/`, beside this file in the sources and beside the built bundle.
 */
import { fileURLToPath } from "node:url";

export const CHILD_FOLDER = fileURLToPath(new URL("./child/", import.meta.url));
/** The extension of the programs of a test run: `.ts` in the sources, `.js` once built. */
export const CHILD_EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf("."));
/**
 * The extension of the programs of the REPL's two threads. Built, they are CommonJS, which starts sooner: see
 * `scripts/bundle.ts`.
 */
export const THREAD_EXTENSION = CHILD_EXTENSION === ".js" ? ".cjs" : CHILD_EXTENSION;
/** The program of a node:test run. Every image loads the program on request, also from outside of the project. */
export const NODE_TESTS_URL = new URL(`./child/tests/run-node-tests${CHILD_EXTENSION}`, import.meta.url).href;

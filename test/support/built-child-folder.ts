/**
 * Stands in for `server/src/repl/child-folder.ts` in the tests: the REPL's process runs from the bundle in `dist/`, as users
 * run it. From the sources each start would load and strip some ninety files, which takes longer than most tests.
 */
import { fileURLToPath, pathToFileURL } from "node:url";

export const CHILD_FOLDER = fileURLToPath(new URL("../../dist/child/", import.meta.url));
export const CHILD_EXTENSION = ".js";
export const THREAD_EXTENSION = ".cjs";
export const NODE_TESTS_URL = pathToFileURL(`${CHILD_FOLDER}tests/run-node-tests.js`).href;

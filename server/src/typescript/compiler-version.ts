/** The version of TypeScript that answers. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

export const compilerVersion: string = (require("typescript/package.json") as { version: string }).version;

/** Where the image's own code lies: beside this file in the sources, beside the bundle once it is built. */
import { fileURLToPath } from "node:url";

export const IMAGE_FOLDER = fileURLToPath(new URL("./image/", import.meta.url));
/** Of the image's programs: `.ts` in the sources, `.js` once built. */
export const IMAGE_EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf("."));
/** Of the image's two threads: they start sooner as CommonJS, see `scripts/bundle.ts`. */
export const THREAD_EXTENSION = IMAGE_EXTENSION === ".js" ? ".cjs" : IMAGE_EXTENSION;

/**
 * The folder with all code of this process that is not the project's, as a URL: `child/`, the parent of this file's
 * folder. In `dist/` it may be the folder above, which contains only this server's code too.
 */
export const OWN_FOLDER = new URL("../", import.meta.url).href;

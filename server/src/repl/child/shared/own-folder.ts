/**
 * The folder that holds all code of this process that is not the project's, as a URL: `child/`, the parent of this
 * file's folder. In `dist/` it may be the folder above, which holds nothing but this server's code either.
 */
export const OWN_FOLDER = new URL("../", import.meta.url).href;

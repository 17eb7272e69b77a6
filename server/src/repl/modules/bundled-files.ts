/** Files that bundlers turn into modules, and the configuration of the project's bundler. */
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";

const STYLE = /\.(?:css|scss|sass|less|styl|stylus|pcss|postcss)$/i;
const ASSET =
  /\.(?:svg|png|jpe?g|gif|webp|avif|ico|bmp|woff2?|ttf|otf|eot|mp3|mp4|webm|ogg|wav|flac|pdf|glb|gltf|webmanifest)$/i;
const CONFIG =
  /^(?:vite|vitest|webpack|rollup|rolldown|rspack|rsbuild|next|nuxt|svelte|astro|esbuild|farm)\.config\.[cm]?[jt]s$/;

/**
 * The exports of a bundler's module of the file, where nothing has to be read: a style has no names, a picture is its
 * address.
 */
export function bundledValue(path: string): object | string | undefined {
  if (STYLE.test(path)) return {};
  return ASSET.test(path) ? pathToFileURL(path).href : undefined;
}

/** The configuration of the bundler that would load the file: the nearest one above the file, within the project. */
export function bundlerConfig(file: string, root: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const found = namesIn(folder).find((name) => CONFIG.test(name));
    if (found !== undefined) return `${folder}/${found}`;
    if (folder === root || folder === dirname(folder)) return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

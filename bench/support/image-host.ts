/** The image of the build under test without the server around it: what the REPL itself costs. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Evaluated, Image, ImageOptions } from "../../server/src/repl/image.ts";

interface ImageModule {
  readonly createImage?: (options: ImageOptions) => Image;
}

export type ImageWatch = Partial<Pick<ImageOptions, "onOutput" | "onState" | "confinement" | "wall">>;

/** `program` is the build's `bin/agentq.js`; its code stands in `dist/` beside `bin/`. */
export async function imageMaker(program: string): Promise<(folder: string, watch?: ImageWatch) => Image> {
  const dist = path.resolve(path.dirname(program), "../dist");
  const chunk = readdirSync(dist).find((name) => /^image-process\d*\.js$/.test(name));
  const file = path.join(dist, chunk ?? "image-process.js");
  const { createImage } = (await import(pathToFileURL(file).href)) as ImageModule;
  if (createImage === undefined) throw new Error(`${file} has no createImage: the build names its parts otherwise`);
  const silent = { onOutput: ignore, onState: ignore, log: ignore };
  return (projectRoot, watch = {}) => createImage({ projectRoot, ...silent, ...watch });
}

/** The preview of the form's value. */
export async function valueOf(image: Image, code: string): Promise<string> {
  const { outcome, preview, error } = await evaluateIn(image, code);
  if (outcome !== "value") throw new Error(`the image answered ${outcome} to ${code}: ${error?.message ?? ""}`);
  return preview ?? "";
}

export function evaluateIn(image: Image, code: string): Promise<Evaluated> {
  return image.evaluate({ code, by: "agent" }, new AbortController().signal);
}

function ignore(): void {}

/** The image of the build under test without the server around it: what the REPL itself costs. */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Evaluated, Image, ImageOptions } from "../../server/src/repl/image.ts";
import type { SpareProcess } from "../../server/src/repl/process/spare-process.ts";

interface ImageModule {
  readonly createImage?: (options: ImageOptions, spare?: SpareProcess) => Image;
}

interface SpareModule {
  readonly SpareProcess: typeof SpareProcess;
}

type MakeImage = (folder: string, watch?: ImageWatch, spare?: SpareProcess) => Image;

export interface ImageMaker extends MakeImage {
  /** Undefined for a build in which no process stands ready. */
  readonly spare: ((folder: string, watch: ImageWatch) => SpareProcess) | undefined;
}

export type ImageWatch = Partial<Pick<ImageOptions, "onOutput" | "onState" | "confinement" | "wall">>;

/** `program` is the build's `bin/agentq.js`; its code stands in `dist/` beside `bin/`. */
export async function imageMaker(program: string): Promise<ImageMaker> {
  const dist = path.resolve(path.dirname(program), "../dist");
  const chunk = readdirSync(dist).find((name) => /^image-process\d*\.js$/.test(name));
  const file = path.join(dist, chunk ?? "image-process.js");
  const { createImage } = (await import(pathToFileURL(file).href)) as ImageModule;
  if (createImage === undefined) throw new Error(`${file} has no createImage: the build names its parts otherwise`);
  const silent = { onOutput: ignore, onState: ignore, log: ignore };
  const spares = path.join(dist, "spare-process.js");
  const { SpareProcess: Spare } = existsSync(spares)
    ? ((await import(pathToFileURL(spares).href)) as SpareModule)
    : { SpareProcess: undefined };
  const make: MakeImage = (projectRoot, watch = {}, spare) => createImage({ projectRoot, ...silent, ...watch }, spare);
  const spare =
    Spare && ((projectRoot: string, watch: ImageWatch) => new Spare({ projectRoot, ...silent, ...watch, quietMs: 0 }));
  return Object.assign(make, { spare });
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

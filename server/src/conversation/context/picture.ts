/** A picture that is attached to a prompt: what models take, and why not. */
import { errorText } from "../../base/errors.ts";
import { readRegularBytes } from "../../workspace/regular-file.ts";
import type { Refused } from "../../surroundings/workspace-texts.ts";
import type { Picture } from "./context-ports.ts";

/** What providers take of one picture. */
const MAX_PICTURE = 3_750_000;
/** The longest side that models' servers take, in pixels. */
const MAX_SIDE = 8_000;

export async function pictureAt({
  absolute,
  relative,
}: {
  readonly absolute: string;
  readonly relative: string;
}): Promise<Picture | Refused> {
  try {
    const bytes = await readRegularBytes(absolute, { shown: relative, limit: MAX_PICTURE });
    const mediaType = mediaTypeOf(bytes);
    if (mediaType === undefined) return { reason: `${relative} is no PNG, JPEG, GIF or WebP picture.` };
    const side = await longestSide(bytes);
    if (side === undefined) return { reason: `${relative} is damaged: its size cannot be read.` };
    if (side > MAX_SIDE) {
      return {
        reason: `${relative} has a side of ${side} pixels; models take at most ${MAX_SIDE}. Attach a part of it.`,
      };
    }
    return { path: relative, mediaType, data: bytes.toString("base64") };
  } catch (error) {
    return { reason: errorText(error) };
  }
}

/** In pixels; undefined where the picture does not tell it. */
async function longestSide(bytes: Buffer): Promise<number | undefined> {
  const { imageSize } = await import("image-size");
  try {
    // image-size 2.1 reads on behind the end of a buffer that is a part of a larger one.
    const { width, height } = imageSize(new Uint8Array(bytes));
    return width > 0 && height > 0 ? Math.max(width, height) : undefined;
  } catch {
    return undefined;
  }
}

/** By what the file begins with: a wrong ending would be refused by the model's provider. */
function mediaTypeOf(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, 12);
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : undefined;
}

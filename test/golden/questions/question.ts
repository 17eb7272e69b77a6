/**
 * Questions that a reader of one request is asked. Each is asked twice: the reader, who has the request alone, answers by its
 * latest statement, and the state itself (the disk, the buffers of the test's editor, the image, the person's decisions).
 */
import type { Told } from "../reading.ts";
import type { Scene } from "../scene.ts";

export interface Question {
  readonly ask: string;
  readonly read: (told: readonly Told[]) => string;
  readonly truth: (scene: Scene) => string | Promise<string>;
}

export function yesNo(is: boolean | undefined): string {
  return is === undefined ? "not told" : is ? "yes" : "no";
}

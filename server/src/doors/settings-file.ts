/** Settings in a file, for those who start the server without an editor: what an editor has in `initializationOptions`. */
import JSON5 from "json5";
import { errorText } from "../base/errors.ts";
import { readRegularText } from "../workspace/regular-file.ts";
import { isObject } from "../base/is-object.ts";

/** JSON with comments. A text says why the file cannot be used. */
export async function readSettingsFile(path: string): Promise<object | string> {
  try {
    const settings: unknown = JSON5.parse(await readRegularText(path));
    if (isObject(settings)) return settings;
    return `The settings in ${path} are no object.`;
  } catch (error) {
    return `The settings cannot be read: ${errorText(error)}`;
  }
}

/** Answers to the image that several questions share. */
import { isBuiltin } from "node:module";
import type { BridgeAnswer } from "../child/wire/wire.ts";
import type { Instrumented } from "../source/instrument.ts";
import { positionAt } from "../source/source-position.ts";
import type { SyntaxProblem } from "../source/transpile.ts";

export function bare(url: string): string {
  const parsed = new URL(url);
  parsed.search = "";
  parsed.hash = "";
  return parsed.href;
}

export function withInlineMap({ code, map }: Pick<Instrumented, "code" | "map">): string {
  if (map === undefined) return code;
  const text = Buffer.from(JSON.stringify({ ...map, sourcesContent: undefined })).toString("base64");
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${text}\n`;
}

export function notFound(message: string): BridgeAnswer {
  return { error: { name: "Error", code: "ERR_MODULE_NOT_FOUND", message } };
}

/** `config` is the path as people read it. */
export function troubleNote(config: string, reason: string): string {
  const what = `${config} cannot be read in full (${reason}): modules are loaded with what the rest of it says.`;
  return /not found/i.test(reason) ? `${what} Installing the project's packages may mend that.` : what;
}

export function denied(message: string): BridgeAnswer {
  return { error: { name: "Error", code: "ERR_ACCESS_DENIED", message } };
}

/** `path` is the path as people read it; the position comes from the problem's offset in `text`. */
export function syntaxError(path: string, text: string, { message, offset }: SyntaxProblem): BridgeAnswer {
  const at = offset === undefined ? undefined : positionAt(text, offset);
  const place = at === undefined ? path : `${path}:${at.line + 1}:${at.column + 1}`;
  return { error: { name: "SyntaxError", message: `${message} (${place})` } };
}

/**
 * Answers the questions about a module's imports together with the module: each question would stop the image and pass
 * through two threads and back. An import that is not found is left out, so that the error reaches the code that needs
 * the import.
 */
export function answersAhead(
  specifiers: readonly string[],
  resolve: (specifier: string) => BridgeAnswer,
): Pick<BridgeAnswer, "ahead"> {
  const ahead = specifiers.flatMap((specifier): [string, string][] => {
    if (isBuiltin(specifier) || specifier.startsWith("data:")) return [];
    const { url } = resolve(specifier);
    return url === undefined ? [] : [[specifier, url]];
  });
  return { ahead };
}

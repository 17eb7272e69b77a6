/** A request that does not fit the model's context, known by the words of the server that refuses it. Pure. */

/**
 * "prompt is too long: 215000 tokens > 200000 maximum", "input length and `max_tokens` exceed context limit", vLLM's
 * "maximum context length is 4096 tokens", llama.cpp's "exceeds the available context size", "Input is too long", and 413.
 */
const WORDS =
  /^413|(?:prompt|input|request|messages?) (?:is|are) too (?:long|large)|request_too_large|context (?:length|window|limit|size)|maximum context|exceed_context/i;

const WINDOWS = [
  />\s*(\d{3,})\s*(?:tokens?\s*)?maximum/i,
  /\d+ \+ \d+ > (\d{3,})/,
  /(?:maximum )?context (?:length|window|limit|size)\D{0,12}?(\d{3,})/i,
] as const;

export function isTooLong(reason: string): boolean {
  return WORDS.test(reason);
}

/** The context window in tokens; undefined where the words do not tell it. */
export function windowIn(reason: string): number | undefined {
  for (const pattern of WINDOWS) {
    const found = pattern.exec(reason)?.[1];
    if (found !== undefined) return Number(found);
  }
  return undefined;
}

import { reply, type Script } from "../model/script.ts";
import { addMethod } from "./add-method.ts";
import { describe } from "./describe.ts";
import { fixBug } from "./fix-bug.ts";
import { newFile } from "./new-file.ts";

const ROUTES: readonly (readonly [RegExp, Script])[] = [
  [/\bmethod\b|serialize/i, addMethod],
  [/\btest\b|\bfile\b/i, newFile],
  [/\bbugs?\b|\bcents?\b|refund|\bfix\b/i, fixBug],
  [/describe|explain|what (is|does)|who calls/i, describe],
];

/** Picks a script by the words of the prompt, for a person who types into an editor. */
export const demo: Script = {
  name: "demo",
  description: "pick one of the scripts above by the words of the prompt",
  reply(turn) {
    const route = ROUTES.find(([words]) => words.test(turn.prompt));
    if (route !== undefined) return route[1].reply(turn);
    return reply(
      "I am a script, not a model: I know four prompts about this project.\n\n" +
        "- Describe the function allocate.\n" +
        "- Refunds lose a cent: find the bug and fix it.\n" +
        "- Add a serialize method to CreditNote.\n" +
        "- Create a test for refunds.\n\n" +
        "Set ANTHROPIC_API_KEY to talk to a model.",
    );
  },
};

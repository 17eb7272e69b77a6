/** Asks the person for their consent to full rights: as editors of ours show approvals, elsewhere by LSP's own way to ask. */
import { given } from "../base/given.ts";
import type { AskConsent } from "../repl/stages/consent/open-consent.ts";
import type { ClientPort } from "../services.ts";
import type { Approvals } from "../tools/consent/approvals.ts";

export function consentAsker(
  client: Pick<ClientPort, "choose">,
  approvals: Pick<Approvals, "canAsk" | "put">,
): AskConsent {
  return async ({ tool, text, why, risk, yes, no }, signal) => {
    if (!approvals.canAsk()) {
      // The harmless answer first: some editors take the first one for what Enter means.
      const choice = await client.choose(`${text} ${why} ${risk}`, [no, yes], signal);
      if (choice === yes) return { kind: "yes" };
      if (choice !== undefined) return { kind: "no" };
      return { kind: "nobody", reason: "this editor cannot ask, or nobody answered" };
    }
    const answers = { approved: yes, denied: no };
    const decision = await approvals.put({ tool, arguments: {}, why, risk, question: text, answers }, signal);
    if (decision?.decision === "approved") return { kind: "yes" };
    return { kind: "no", ...given({ message: decision?.message }) };
  };
}

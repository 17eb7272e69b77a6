/** The part of the composition that counts what requests to models take. */
import { askWhether } from "./conversation.ts";
import type { Delegations } from "../conversation/delegate.ts";
import type { Sessions } from "../conversation/sessions.ts";
import { Spending } from "../conversation/spending/spending.ts";
import type { Settings } from "../settings/settings.ts";
import type { LateTelemetry } from "../telemetry/late-telemetry.ts";
import type { Approvals } from "../tools/consent/approvals.ts";

interface SpendingParts {
  readonly settings: Pick<Settings, "budget">;
  readonly approvals: () => Approvals;
  readonly delegations: () => Pick<Delegations, "asks">;
  readonly sessions: () => Pick<Sessions, "turns" | "turnOf">;
  readonly telemetry: LateTelemetry;
  readonly logBug: (error: unknown) => void;
}

export function composeSpending({
  settings,
  approvals,
  delegations,
  sessions,
  telemetry,
  logBug,
}: SpendingParts): Spending {
  return new Spending({
    budget: settings.budget ?? {},
    ask: (question, signal) => askWhether(approvals(), question, signal),
    countsTo: (sessionId) => {
      const asking = delegations().asks(sessionId);
      return asking === undefined ? undefined : { sessionId: asking, turnId: sessions().turnOf(asking)?.id ?? "" };
    },
    newestTurn: (sessionId) =>
      sessions()
        .turns(sessionId)
        .findLast(({ isCommand }) => isCommand !== true)?.id,
    watch: (...request) => telemetry.request(...request),
    logBug,
  });
}

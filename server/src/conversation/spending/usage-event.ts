/** What a conversation is told of a reply that was counted: its tokens, its cost, and how full the context is. */
import { given } from "../../base/given.ts";
import type { ModelUsage } from "../../model/model-port.ts";
import type { Model } from "../../model/models.ts";
import type { TurnEvent } from "../../protocol/turn-shapes.ts";
import type { Session, SessionPorts } from "../session.ts";

export type UsageEvent = Extract<TurnEvent, { readonly kind: "usage" }>;

interface Counted {
  readonly session: Session;
  readonly model: Model;
  readonly ports: Pick<SessionPorts, "spending">;
}

export function usageEvent({ session, model, ports }: Counted, usage: ModelUsage): UsageEvent {
  return {
    kind: "usage",
    model: model.name,
    ...usage,
    ...given({ contextWindow: session.sent.meter.counted?.window }),
    ...ports.spending.costs(model, usage, session.id),
  };
}

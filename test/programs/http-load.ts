/** Connections that ask one question after the other, as a load generator does, and keep what they were answered. */
import { Agent, get } from "node:http";
import { setTimeout as rest } from "node:timers/promises";

export interface Reply {
  /** When the request was sent and when the answer was whole, of `performance.now()`. */
  readonly sent: number;
  readonly got: number;
  readonly status: number;
  readonly body: string;
}

export interface Load {
  readonly replies: readonly Reply[];
  /** Requests without an answer: a connection that was refused, cut off, or answered twice. */
  readonly dropped: readonly string[];
  readonly stop: () => Promise<void>;
}

/** `restMs` is what a connection waits between an answer and its next question. */
export function startLoad(port: number, connections: number, restMs = 0): Load {
  const replies: Reply[] = [];
  const dropped: string[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const over = new AbortController();
  const ask = async (number: number): Promise<void> => {
    for (let at = 0; !over.signal.aborted; at += 1) {
      const sent = performance.now();
      try {
        const { status, body } = await fetchOnce(agent, port, `/?n=${number}-${at}`);
        replies.push({ sent, got: performance.now(), status, body });
      } catch (error) {
        dropped.push(String(error));
      }
      if (restMs > 0) await rest(restMs);
    }
  };
  const running = Array.from({ length: connections }, (_, number) => ask(number));
  return {
    replies,
    dropped,
    stop: async () => {
      over.abort();
      await Promise.all(running);
      agent.destroy();
    },
  };
}

function fetchOnce(agent: Agent, port: number, path: string): Promise<Pick<Reply, "status" | "body">> {
  return new Promise((resolve, reject) => {
    const request = get({ agent, port, path, host: "127.0.0.1" }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
      response.once("error", reject);
    });
    request.once("error", reject);
  });
}

/** A load generator: so many requests over loopback, on connections that stay open. */
import { Agent, get } from "node:http";

/** What all of the requests took, in milliseconds. One that fails fails the measure. */
export async function askMany(port: number, requests: number, connections: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let left = requests;
  const ask = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await askOnce(agent, port);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, ask));
  const taken = performance.now() - started;
  agent.destroy();
  return taken;
}

function askOnce(agent: Agent, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get({ agent, port, host: "127.0.0.1" }, (response) => {
      response.resume().once("end", resolve).once("error", reject);
    });
    request.once("error", reject);
  });
}

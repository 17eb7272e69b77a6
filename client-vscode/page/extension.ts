/** The extension, as the page speaks with it. */
import type { FromPage } from "../chat/page-messages.ts";

declare function acquireVsCodeApi(): { readonly postMessage: (message: FromPage) => void };

const api = acquireVsCodeApi();

export function tell(message: FromPage): void {
  api.postMessage(message);
}

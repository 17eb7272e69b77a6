/** What standard LSP lets a server ask of an editor that knows nothing of `agentq/*`. */
import type { WorkspaceEdit } from "vscode-languageserver-protocol";
import { createQuestions } from "../questions.ts";
import { MessageType, type Connection, type InitializeParams } from "../connection.ts";
import type { ClientPort } from "../../services.ts";
import { shownIn } from "./kate.ts";

export interface PlainWire extends Pick<ClientPort, "choose" | "progress"> {
  /** False where the editor does not open documents for a server, or refuses. Never rejects. */
  readonly showDocument: (uri: string, takeFocus: boolean) => Promise<boolean>;
  readonly say: (message: string) => void;
  /** Settles when the editor has answered, whatever it answers: the texts tell what it has done. Never rejects. */
  readonly applyEdit: (label: string, edit: WorkspaceEdit) => Promise<void>;
}

/** A person reads a hunk before they answer. */
const REVIEW_LIMIT_MS = 30 * 60_000;

export function plainWire(
  connection: Connection,
  setup: InitializeParams,
  progress: ClientPort["progress"],
): PlainWire {
  const { window } = setup.capabilities;
  return {
    progress,
    choose: createQuestions(
      (params, token) => connection.sendRequest("window/showMessageRequest", params, token),
      REVIEW_LIMIT_MS,
    ),
    showDocument: async (uri, takeFocus) => {
      if (window?.showDocument?.support !== true) return false;
      const shown = connection.sendRequest<{ success?: unknown } | null>("window/showDocument", { uri, takeFocus });
      return shown.then(
        (answer) => answer?.success === true,
        () => false,
      );
    },
    say: (text) => {
      const message = shownIn(setup, text);
      connection.sendNotification("window/showMessage", { type: MessageType.Info, message }).catch(() => undefined);
    },
    applyEdit: async (label, edit) => {
      await connection.sendRequest("workspace/applyEdit", { label, edit }).catch(() => undefined);
    },
  };
}

/**
 * Whether a person can be shown something in the editor, or the editor can be asked for an edit. Messages need no
 * announcement: whoever has a window of any kind shows them, as Kate 22.12 does, which announces progress alone.
 */
export function canShow({ capabilities: { window = {}, workspace } }: InitializeParams): boolean {
  return workspace?.applyEdit === true || Object.values(window ?? {}).some((each) => each !== false && each !== null);
}

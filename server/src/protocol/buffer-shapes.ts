/** The editor's buffers as a client tells of them, also those that text sync does not carry. */

export interface EditorBuffer {
  /** The client's own: what `agentq/readBuffer` is asked with. */
  readonly id: string;
  readonly name: string;
  /** What the editor calls the kind: `terminal`, `help`, `compilation-mode`, `typescript`. */
  readonly kind: string;
  /** Of the file that the buffer shows, or would write; another scheme than `file` for a file of another machine. */
  readonly uri?: string;
  readonly lines: number;
  readonly modified?: boolean;
  /** The buffer that the person is in, or was in before they went to the chat. */
  readonly isCurrent?: boolean;
  readonly isVisible?: boolean;
}

export interface EditorBuffers {
  readonly buffers: readonly EditorBuffer[];
}

/** Some lines of a buffer; name, URI and kind are those of this moment. */
export interface BufferText {
  readonly buffer: EditorBuffer;
  /** The text's version in the editor: another one, another text. */
  readonly version: number;
  readonly lines: readonly string[];
}

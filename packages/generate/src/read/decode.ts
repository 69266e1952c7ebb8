export const MAX_BYTES = 64 * 1024 * 1024

export const TOO_LARGE = `it has more than ${MAX_BYTES / 1024 / 1024} MiB, which is the limit`

/**
 * Decodes a document in UTF-8, or in UTF-16 with a byte order mark (YAML 1.2, section 5.2). Invalid bytes are an
 * error, because replacement characters would silently change names and values.
 */
export function decodeDocument(bytes: Uint8Array): { readonly text: string } | { readonly reason: string } {
  if (bytes.length === 0) return { reason: 'the document is empty' }
  try {
    const text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return { text }
  } catch {
    // The statement below returns the reason.
  }
  return { reason: "it isn't text in UTF-8; if it is a contract in another encoding, save it as UTF-8" }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

interface Encodable {
  toBase64?(): string
}

/** Bytes in base64, in every host. */
export function toBase64(bytes: Uint8Array): string {
  const own = (bytes as Uint8Array & Encodable).toBase64
  if (typeof own === 'function') return own.call(bytes)
  // A multiple of three, so that the pieces fit together without padding between them.
  const pieceBytes = 24_576
  let text = ''
  for (let at = 0; at < bytes.length; at += pieceBytes)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + pieceBytes)))
  return text
}

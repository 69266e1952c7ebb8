/** Returns text from a contract on one line, without control characters. */
export function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

/** Replaces line breaks and other control characters with spaces. Text from a contract can contain them. */
export function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

/** Text from a contract on one line: nothing in it may move a cursor or begin a line. */
export function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

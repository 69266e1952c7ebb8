import { request } from 'node:http'

/**
 * Acts like a person who signs in with a browser: opens the emulator's sign-in page, submits its form, and follows
 * the redirect to the program. Returns the final page's heading.
 */
export async function signInAsPerson(
  url: string,
  person: { readonly email: string; readonly password: string },
): Promise<string> {
  const page = await fetch(url)
  const form = new URLSearchParams({ email: person.email, password: person.password })
  const response = await fetch(page.url, { method: 'POST', body: form, redirect: 'manual' })
  const callback = response.headers.get('location')
  if (callback === null)
    throw new Error(`The sign-in page responded with ${response.status} instead of a redirect.`)
  return navigate(callback)
}

/**
 * Loads a page with the headers that a browser sends when it navigates. These headers, which `fetch` can't set, show
 * that no script sent the request.
 */
function navigate(url: string): Promise<string> {
  const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false }, (response) => {
      let html = ''
      response.setEncoding('utf8').on('data', (part: string) => (html += part))
      response.on('end', () => resolve(/<h1>(.*?)<\/h1>/s.exec(html)?.[1] ?? `status ${response.statusCode}`))
    })
      .on('error', reject)
      .end()
  })
}

// Signs in with the browser on this machine, so that the program never sees a password.
import { StorageAuth } from '@concord/storage-auth'

import { signInAsPerson } from './support/browser.ts'
import { service } from './support/service.ts'

await using target = await service('storageAuth')
const { authUrl, dataUrl, webUrl } = target
await using storage = new StorageAuth({ authUrl, dataUrl, webUrl })

const session = await storage.signInWithBrowser({
  deadline: '2m',
  onAddress: (url) => console.log(`Sign in at ${url}`),
  // No one is at a browser here, so the example fills in the emulator's form. In your own code, omit `openBrowser`:
  // the client then opens the system's browser.
  ...(target.emulator && {
    openBrowser: (url: string) => void signInAsPerson(url, target).then((page) => console.log(page)),
  }),
  // In the documented flow, the program can't be sure that the authorization code it receives belongs to this
  // sign-in. If you know who is signing in, check the user.
  confirm: (user) => user?.email === target.email,
})
console.log(`signed in as ${session.user?.email}`)

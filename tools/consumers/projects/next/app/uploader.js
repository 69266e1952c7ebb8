'use client'
import { Extraction } from '@concord/extraction'
import { useState } from 'react'

/** A client component: it calls the page's own origin, which adds the key. */
export function Uploader({ baseUrl }) {
  const [state, setState] = useState('ready')
  const upload = async (event) => {
    const extraction = new Extraction({
      baseUrl: new URL(baseUrl, location.href).href,
      apiKey: 'set-by-the-server',
    })
    const submitted = await extraction.submit({ file: event.target.files[0] })
    setState((await submitted.wait()).status)
  }
  return <input type="file" onChange={upload} aria-label={state} />
}

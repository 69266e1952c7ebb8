export default { ssr: { noExternal: true }, logLevel: 'info' }

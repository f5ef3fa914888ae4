// The packages are links to where they are installed.
export default { turbopack: { root: '/' } }

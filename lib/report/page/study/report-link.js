/** A link that stays below the study's folder, whatever the name says. @param {string} folder */
export function reportLink(folder) {
  const parts = folder.split('/').filter(part => part !== '..');
  return `./${[...parts, 'report.html'].map(encodeURIComponent).join('/')}`;
}

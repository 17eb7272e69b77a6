/** What runs in the chat's web view. */
document.body.textContent = "";

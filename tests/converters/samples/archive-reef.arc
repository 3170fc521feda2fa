filedesc://reef.arc 0.0.0.0 20261102093000 text/plain 65
1 0 Reef
URL IP-address Archive-date Content-type Archive-length

http://reef.example/anemone.html 127.0.0.1 20261102093001 text/html 126
HTTP/1.0 200 OK
Content-Type: text/html

<html><title>Anemone</title><p>An anemone is a home for two clownfish.</p></html>


# Writes OUTPUT, a C++ file with the text and the SHA-1 of each script. Run at build time with -D FOLDER and -D OUTPUT.
# A script is what stands in front of it, in order, and itself.
set(scripts
    "Apply|common,rows,apply"
    "Extract|common,extraction_common,extract"
    "Cancel|common,extraction_common,cancel"
    "ResyncBegin|common,resync_begin"
    "ResyncClear|common,resync_common,resync_clear"
    "ResyncRows|common,resync_common,rows,resync_rows"
    "ResyncFinish|common,resync_common,resync_finish")

set(definitions "")
foreach(entry IN LISTS scripts)
  string(REGEX MATCH "^([A-Za-z]+)[|](.*)$" ignored "${entry}")
  set(name ${CMAKE_MATCH_1})
  string(REPLACE "," ";" files "${CMAKE_MATCH_2}")
  set(text "")
  foreach(file IN LISTS files)
    file(READ ${FOLDER}/${file}.lua content)
    string(APPEND text "${content}")
  endforeach()
  string(SHA1 sha1 "${text}")
  string(APPEND definitions "const RedisScript k${name}Script{\"${sha1}\", R\"lua(${text})lua\"};\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"pool/redis_scripts.h\"\n\nnamespace holdfast::pool {\n\n${definitions}\n}  // namespace holdfast::pool\n")
